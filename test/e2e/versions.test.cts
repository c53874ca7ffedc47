// The package in the newest n8n 2.x that is tested.
import { holdsInN8n } from './version-suite.cts';

holdsInN8n();
