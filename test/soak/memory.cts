// Rows of two fields (Output Fields) take less than half of the memory of whole rows: what is cut away
// isn't kept until the end. Needs --expose-gc.
import { ListService } from '../execution/host/listService.cts';
import { run } from '../execution/host/run.cts';

const ROWS = 20_000;

/** A row whose texts are its own, as those of different customers are. */
const rowOf = (id: string) => ({
	id,
	email: `${id}@example.com`,
	company_name: `Company ${id}`,
	address: { line1: `${id} Long Street`, city: `City ${id}`, postal_code: id, country: `IT ${id}` },
	tags: [`first ${id}`, `second ${id}`],
	note: `What is known of ${id}`,
});

async function main(): Promise<void> {
	const collect = globalThis.gc;
	if (!collect) throw new Error('Run it with --expose-gc');
	const service = await new ListService().start();
	service.serve((page, size = 100) => ({
		body: {
			count: ROWS,
			elements: Array.from({ length: page > ROWS / size ? 0 : size }, (_row, index) =>
				rowOf(`${page}-${index}`),
			),
		},
	}));
	const megabytes = async (options: object) => {
		collect();
		const before = process.memoryUsage().heapUsed;
		const form = { returnAll: true, simplify: false, options };
		const { items } = await run(service, 'platformCustomers', 'customer.getAll', form);
		collect();
		if (items.length !== ROWS) throw new Error(`${items.length} rows came`);
		return (process.memoryUsage().heapUsed - before) / 2 ** 20;
	};
	// The first run loads what all need.
	await megabytes({});
	const whole = await megabytes({});
	const cut = await megabytes({ outputFields: 'id, email' });
	await service.close();
	console.log(`${ROWS} rows: ${whole.toFixed(1)} MB, of two fields ${cut.toFixed(1)} MB`);
	if (cut > whole / 2) process.exitCode = 1;
}

void main();
