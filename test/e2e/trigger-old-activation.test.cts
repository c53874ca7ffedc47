// Platform Trigger with n8n's older way to activate workflows.
import { registersReliably } from './triggerSuite.cts';

registersReliably('old');
