// Platform Polling Trigger with n8n's older way to activate workflows.
import { pollsReliably } from '../e2e/pollingSuite.cts';

pollsReliably({ N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' });
