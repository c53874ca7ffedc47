/**
 * A mail server for tests, on the loopback interface: it takes every mail and keeps it. It speaks as
 * much SMTP (RFC 5321) as n8n's Send Email node needs, without TLS and without a password.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail as it arrived: envelope, header and body. */
export interface Mail {
	from: string;
	to: string[];
	/** As it was sent, with all parts; lines end in CRLF. */
	raw: string;
	subject: string;
}

export interface MailServer {
	/** What an SMTP credential of n8n holds. */
	credential: Record<string, unknown>;
	/** Every mail so far, oldest first. */
	mails: Mail[];
	close(): Promise<void>;
}

/** Files that a mail carries, by their name. */
export function attachmentsOf({ raw }: Mail): Map<string, Buffer> {
	const part = /filename="?([^"\r\n]+)"?(?:\r\n.+)*\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/g;
	return new Map(
		[...raw.matchAll(part)].map(([, name, content]) => [name, Buffer.from(content, 'base64')]),
	);
}

/** The text of a mail without attachments, which n8n sends as quoted-printable or as it is. */
export function textOf({ raw }: Mail): string {
	const text = raw.slice(raw.indexOf('\r\n\r\n') + 4).replaceAll('\r\n', '\n');
	if (!/^content-transfer-encoding: quoted-printable/im.test(raw)) return text;
	const bytes = text
		.replaceAll('=\n', '')
		.replace(/=([0-9A-F]{2})/g, (_code, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The links in the text of a mail. */
export const linksOf = (mail: Mail) =>
	[
		...textOf(mail)
			.replaceAll('&amp;', '&')
			.matchAll(/https?:\/\/[^\s"'<>]+/g),
	].map(([link]) => link);

const addressOf = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';

/** Answers the lines of one connection; gives each whole mail to `take`. */
async function converse(socket: Socket, take: (mail: Mail) => void): Promise<void> {
	const say = (line: string) => socket.write(`${line}\r\n`);
	let envelope = { from: '', to: [] as string[] };
	let data: string[] | undefined;
	say('220 mail server for tests');
	for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
		if (data !== undefined) {
			if (line !== '.') {
				data.push(line.replace(/^\.\./, '.'));
				continue;
			}
			const raw = data.join('\r\n');
			take({ ...envelope, raw, subject: /^subject: (.*)$/im.exec(raw)?.[1] ?? '' });
			data = undefined;
			say('250 taken');
			continue;
		}
		const verb = line.slice(0, 4).toUpperCase();
		if (verb === 'MAIL') envelope = { from: addressOf(line), to: [] };
		if (verb === 'RCPT') envelope.to.push(addressOf(line));
		if (verb === 'DATA') data = [];
		say(verb === 'DATA' ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 ok');
		if (verb === 'QUIT') socket.end();
	}
}

/**
 * Starts the server on a free port.
 * @param onMail is told of every mail
 */
export async function startMailServer(
	onMail: (mail: Mail) => void = () => undefined,
): Promise<MailServer> {
	const mails: Mail[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
		void converse(socket, (mail) => {
			mails.push(mail);
			onMail(mail);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		credential: {
			host: '127.0.0.1',
			port,
			user: '',
			password: '',
			secure: false,
			disableStartTls: true,
		},
		mails,
		close: async () => {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
		},
	};
}
