// Whether the contract is itself a valid OpenAPI 3.1 document.
import { Validator } from '@seriousme/openapi-schema-validator';
import { loadContract } from './document.cts';

async function main(): Promise<void> {
	const validator = new Validator();
	const { valid, errors } = await validator.validate({ ...loadContract() });
	console.log(`OpenAPI ${validator.version}: ${valid ? 'valid' : JSON.stringify(errors, null, 1)}`);
	if (!valid) process.exitCode = 1;
}

void main();
