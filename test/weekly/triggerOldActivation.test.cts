// Platform Trigger with n8n's older way to activate workflows.
import { registersReliably } from '../e2e/triggerSuite.cts';

registersReliably('old');
