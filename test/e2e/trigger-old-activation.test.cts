// Platform Trigger with n8n's older way to activate workflows.
import { registersReliably } from './trigger-suite.cts';

registersReliably('old');
