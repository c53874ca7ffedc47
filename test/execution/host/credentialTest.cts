// What n8n does when a credential is tested: the credential's own test if there is one, else that of
// the first node that names one.
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import { PlatformApi } from '../../../dist/credentials/PlatformApi.credentials.js';
import { packageNodes } from './package.cts';

/** The test of a node that uses the credential, on n8n-core's own context. */
export async function testCredential(
	data: ICredentialDataDecryptedObject,
	node = Object.keys(packageNodes())[0],
): Promise<INodeCredentialTestResult> {
	const credential = new PlatformApi();
	if ('test' in credential) throw new Error('n8n would take the test of the credential class');
	const { description, methods } = packageNodes()[node];
	const { testedBy } = description.credentials?.find(({ name }) => name === credential.name) ?? {};
	const test = typeof testedBy === 'string' ? methods?.credentialTest?.[testedBy] : undefined;
	if (!test) throw new Error(`${node} does not test the credential`);
	return await test.call(new CredentialTestContext(), {
		id: '1',
		name: 'Platform API',
		type: credential.name,
		data,
	});
}
