// Platform Trigger with n8n's publication service, as n8n is set up from the start.
import { registersReliably } from './triggerSuite.cts';

registersReliably('service');
