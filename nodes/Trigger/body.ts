// Body of a delivery: read as received, and parsed.
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

interface RawRequest {
	rawBody?: Buffer;
	readRawBody?: () => Promise<void>;
}

const TOO_LARGE = 413;

const UNREADABLE = 400;

/** The body as received, since signatures cover its bytes. For a body that can't be read, the status of the response. */
export async function rawBodyOf(context: IWebhookFunctions): Promise<Buffer | number> {
	const request: RawRequest = context.getRequestObject();
	try {
		if (request.rawBody === undefined) await request.readRawBody?.();
	} catch (error) {
		// 413 is for n8n's limit, also after unpacking. Anything else is a body that is broken or was cut off.
		const { status } = Object(error) as { status?: unknown };
		return status === TOO_LARGE ? TOO_LARGE : UNREADABLE;
	}
	return request.rawBody ?? Buffer.alloc(0);
}

/** Decodes in the charset of the Content-Type, else in UTF-8, else in Latin-1, which takes any bytes. */
export function decode(bytes: Buffer, contentType: string): string {
	const named = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
	for (const charset of [named, 'utf-8']) {
		try {
			return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			// Invalid in this charset, or the charset is unknown.
		}
	}
	return bytes.toString('latin1');
}

/** A repeated name has an array of its values. Latin-1 keeps each byte until its charset is known. */
function formOf(raw: Buffer, contentType: string): IDataObject {
	const textOf = (part: string) => {
		const bytes = part
			.replace(/\+/g, ' ')
			.replace(/%([\da-f]{2})/gi, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
		return decode(Buffer.from(bytes, 'latin1'), contentType);
	};
	const fields = new Map<string, string[]>();
	for (const pair of raw.toString('latin1').split('&').filter(Boolean)) {
		const [name, ...value] = pair.split('=');
		const key = textOf(name);
		const values = fields.get(key) ?? [];
		values.push(textOf(value.join('=')));
		fields.set(key, values);
	}
	return Object.fromEntries(
		[...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
	);
}

/** JSON of any Content-Type, else form fields, else text. */
export function parseBody(raw: Buffer, contentType: string): IDataObject | IDataObject[] | string {
	const text = decode(raw, contentType);
	if (text.trim() === '') return {};
	const isForm = /x-www-form-urlencoded/i.test(contentType);
	try {
		const body: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
		// The form body `7` is a field without a value, not a number.
		if (!isForm || (typeof body === 'object' && body !== null)) return body as IDataObject;
	} catch {
		// Invalid JSON is still an event: its text is output.
	}
	return isForm ? formOf(raw, contentType) : text;
}
