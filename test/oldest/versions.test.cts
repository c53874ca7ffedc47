// The package in the oldest n8n that it supports.
//
// n8n 2.20 is the first that can be told, by the nodes, which hosts a credential may be sent to
// (`getCredentialAllowedDomains` of n8n-workflow). Its lock file replaces a package that n8n takes
// from a web address, not from the registry.
import { ownSetting } from '../n8n/setting.cts';
import { holdsInN8n } from '../n8n/versionSuite.cts';
import { OLDEST } from '../n8n/install.cts';

// It refuses the names of modules that came later.
holdsInN8n(ownSetting({ installation: OLDEST, env: { N8N_DISABLED_MODULES: '' } }));
