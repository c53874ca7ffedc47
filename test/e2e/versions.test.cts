// The package in the newest n8n 2.x that is tested.
import { setting } from './setting.cts';
import { holdsInN8n } from './versionSuite.cts';

holdsInN8n(setting());
