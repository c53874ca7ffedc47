// What a picture of a form showed when it was made: a digest of the words of that form, as a text in the PNG itself.
// `npm run check oldPictures` names the pictures whose form has changed since.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { nodes } from '../test/table/operations.cts';
import { formsOf, withInner } from './formWords.cts';

/** A digest of what a form shows without a click, and of what its lists offer. Undefined for a form of another package. */
export function digestOf(stored: string): string | undefined {
	const form = nodes.flatMap(formsOf).find((each) => each.stored === stored);
	if (!form) return undefined;
	const words = form.fields
		.flatMap(withInner)
		.flatMap((field) => [
			field.displayName,
			field.hint,
			field.placeholder,
			...(field.options ?? []).map((option) => ('value' in option ? option.name : '')),
		]);
	return createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 8);
}

/** Adds a text to a PNG, before its last chunk, which has 12 bytes. */
export function marked(png: Buffer, text: string): Buffer {
	const chunk = Buffer.from(`tEXtForm\0${text}`, 'latin1');
	const length = Buffer.alloc(4);
	length.writeUInt32BE(chunk.length - 4);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(chunk));
	return Buffer.concat([png.subarray(0, -12), length, chunk, sum, png.subarray(-12)]);
}

/** The form of a picture, and its digest at that time. Undefined for a picture of something else. */
export function markOf(png: Buffer): { form: string; digest: string } | undefined {
	const [, form, digest] = /tEXtForm\0([\w ]+) (\w{8})/.exec(png.toString('latin1')) ?? [];
	return form ? { form, digest } : undefined;
}

/** Pictures of forms whose words have changed since they were made. */
function oldPictures(): string[] {
	const folder = join(__dirname, '../docs/images');
	const pictures = readdirSync(folder).map((name) => ({
		name,
		mark: markOf(readFileSync(join(folder, name))),
	}));
	const ofForms = pictures.filter(({ name, mark }) => mark || name.startsWith('form-'));
	if (ofForms.length <= 25)
		throw new Error(`${folder} has only ${ofForms.length} pictures of forms`);
	return ofForms
		.filter(({ mark }) => !mark || digestOf(mark.form) !== mark.digest)
		.map(({ name }) => name);
}

function main(): void {
	const old = oldPictures();
	if (old.length === 0) return;
	console.log(
		`These pictures of docs/images show an older form. Run \`npm run check pictures\`, which needs Chromium, and look at them:\n  ${old.join('\n  ')}`,
	);
	process.exitCode = 1;
}

if (require.main === module) main();
