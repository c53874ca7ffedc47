// n8n's engine logs every error of a node; the tests read the errors themselves.
process.env.N8N_LOG_LEVEL = 'silent';
