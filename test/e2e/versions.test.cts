// The package in the newest n8n 2.x that is tested.
import { setting } from '../n8n/setting.cts';
import { holdsInN8n } from '../n8n/versionSuite.cts';

holdsInN8n(setting());
