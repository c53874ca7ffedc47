// A server with a list as long as one likes: its rows are made as they are asked for. A program of its own,
// so that it takes no time of those who ask. Arguments: the number of rows. It prints its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const count = Number(process.argv[2]);

const rowOf = (number: number) => ({
	id: `cus-${number}`,
	email: `customer-${number}@example.com`,
	first_name: 'Erika',
	last_name: `Example ${number}`,
	company_name: `Example ${number} GmbH`,
	language: 'de',
	currency: 'EUR',
	address: { street: `Example Street ${number}`, city: 'Berlin', zip: '10115', country: 'DE' },
	external_id: `ext-${number}`,
	created_at: '2026-01-01T00:00:00Z',
});

const server = createServer((request, response) => {
	const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
	const [size, page] = [Number(query.get('size') ?? 50), Number(query.get('page') ?? 1)];
	const from = (page - 1) * size;
	const elements = Array.from(
		{ length: Math.max(0, Math.min(size, count - from)) },
		(_each, index) => rowOf(from + index + 1),
	);
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(
		JSON.stringify({ count, pages: { current: page, max: Math.ceil(count / size) }, elements }),
	);
});
server.listen(0, '127.0.0.1', () => {
	console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
