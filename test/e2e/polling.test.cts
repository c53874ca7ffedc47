// Platform Polling Trigger with n8n's publication service, as n8n is set up from the start.
import { pollsReliably } from './pollingSuite.cts';

pollsReliably({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' });
