// The three sentences of docs/money.md on running again, as a model: an execution, its Retries, and a person who follows the
// advice of each refusal. Nothing is applied twice, nothing is lost unsaid, limits hold, and it ends well.
import { World, type Again, type Change, type Ended, type Scene } from './again.cts';
import type { Service } from './service.cts';

const keyOf: Record<Change, (key?: string) => string | undefined> = {
	key: () => '={{ $json.order }}',
	'other key': () => "={{ 'v2-' + $json.order }}",
	'no key': () => undefined,
	amount: (key) => key,
	none: (key) => key,
	'other operation': (key) => key,
};

/** A whole run is refused, not only an item in doubt. */
const REFUSED =
	/n8n kept nothing of it|was retried before|doesn't tell what an earlier|another Idempotency Key or|if the limits hold/;

/** An error says that something was sent, or may have been. */
const SAYS_SO =
	/already done|go through|may have gone through|may have sent these|check what went through|see what that one did|check whether it/i;

/** A scene without faults. */
export const plain: Scene = {
	shape: 'one run',
	customers: [0, 1, 2],
	fates: [],
	isNow: false,
	isKeyed: false,
	isAlike: false,
	onError: 'stopWorkflow',
	isTriedAgain: false,
	isLimited: false,
	cut: 'killed',
	savesProgress: false,
	isKilledLater: false,
	again: [],
};

/** A plain Retry. */
export const plainAgain: Again = {
	of: 'last',
	change: 'none',
	list: 'same',
	isTwice: false,
	isElsewhere: false,
	isKilledLater: false,
};

/** Retries of an execution that was cut off, with nothing changed since, and those of them that were refused. */
export const retriesOfCuts = { all: 0, refused: 0 };

export class Story {
	readonly world: World;

	readonly ends: Ended[] = [];

	/** How often each customer may be charged: as often as it was on the list. */
	private readonly wanted = new Map<string, number>();

	constructor(
		service: Service,
		readonly scene: Scene,
	) {
		this.world = new World(service, scene);
	}

	/** Max Total, for all executions that belong together. */
	private get limit(): number {
		return 10 * this.scene.customers.length;
	}

	private get more(): object {
		return this.scene.isLimited ? { safetyLimits: { maxTotal: this.limit } } : {};
	}

	private want(items: Array<{ customer: string }>): void {
		const counts = new Map<string, number>();
		for (const { customer } of items) {
			counts.set(customer, (counts.get(customer) ?? 0) + 1);
		}
		for (const [customer, count] of counts) this.wanted.set(customer, count);
	}

	/** Customers that still have to be charged, each as often as it's missing. */
	private missing(): string[] {
		return [...this.wanted].flatMap(([customer, count]) =>
			Array.from(
				{ length: Math.max(0, count - (this.world.applied.get(customer) ?? 0)) },
				() => customer,
			),
		);
	}

	private check(end: Ended): void {
		for (const [customer, count] of this.wanted) {
			const times = this.world.applied.get(customer) ?? 0;
			if (times > count) throw new Error(`${customer} was charged ${times} times for ${count}`);
		}
		for (const run of end.runs) this.checkOutput(run);
		const { error, isCut } = end;
		const last = end.runs.at(-1);
		if (error === undefined || isCut || !last) return;
		const lost = last.input.filter(
			({ customer }) => this.isOnce(customer) && last.charged.has(customer),
		);
		if (lost.length > 0 && !SAYS_SO.test(error)) {
			throw new Error(`${lost[0].customer} was charged, and that isn't said: ${error}`);
		}
	}

	/** A customer that isn't in another item, where a charge can only be that of this one. */
	private isOnce(customer: string): boolean {
		return this.wanted.get(customer) === 1;
	}

	private checkOutput(run: Ended['runs'][0]): void {
		const { input, output } = run;
		if (!output) return;
		// An item that a refused run has given out before isn't led back for ever.
		const leadsBack = this.scene.shape.startsWith('an error output');
		if (leadsBack ? output.length > input.length : output.length !== input.length) {
			throw new Error(`${input.length} items came in, ${output.length} out`);
		}
		if (output.length !== input.length) return;
		for (const [at, { error, inDoubt }] of output.entries()) {
			const { customer } = input[at];
			if (error === undefined && inDoubt !== true && !wasSent(run, customer)) {
				throw new Error(`${customer} came out as sent, and wasn't`);
			}
			const isCharged = run.charged.has(customer) && this.isOnce(customer);
			if (error !== undefined && isCharged && !SAYS_SO.test(String(error))) {
				throw new Error(`${customer} was charged, and its item says: ${String(error)}`);
			}
		}
	}

	private checkLimit(): void {
		const { total } = this.world;
		if (this.scene.isLimited && total > this.limit) {
			throw new Error(`${total} were charged, and Max Total is ${this.limit}`);
		}
	}

	async play(): Promise<void> {
		const { scene, world, ends, more } = this;
		this.want(world.items());
		const { isKilledLater, fault } = scene;
		const form = { key: world.keyOfScene, more };
		ends.push(await world.execute({ isKilledLater, fault, form }));
		this.check(ends[0]);
		for (const step of scene.again) {
			const retried = step.of === 'first' ? ends[0] : ends[ends.length - 1];
			// n8n retries nothing that has succeeded.
			if (!retried.isCut && retried.error === undefined) continue;
			const isAnew = retried.isCut && !retried.saved;
			this.want(isAnew ? world.items(step.list) : retried.items);
			const retry = async (isElsewhere: boolean) =>
				await world.execute({ ...this.optionsOf(retried, step), isElsewhere });
			const both = await Promise.all([
				retry(step.isElsewhere),
				...(step.isTwice ? [retry(!step.isElsewhere)] : []),
			]);
			for (const end of both) this.check(end);
			this.checkRefusal(retried, step, both[0]);
			ends.push(both[both.length - 1]);
		}
		this.checkLimit();
	}

	private optionsOf(retried: Ended, { change, list, isKilledLater, fault }: Again) {
		const isOtherOperation = change === 'other operation';
		return {
			retried,
			list,
			isKilledLater,
			fault,
			form: {
				key: keyOf[change](this.world.keyOfScene),
				...(change === 'amount' && { amount: 12 }),
				...(isOtherOperation ? { isOtherOperation } : { more: this.more }),
			},
		};
	}

	/** The node must not refuse what it can tell. */
	private checkRefusal(retried: Ended, step: Again, end: Ended): void {
		const { scene } = this;
		const isPlain = step.change === 'none' && step.list === 'same' && !step.isTwice;
		const isFirst = this.ends.length === 1;
		if (!isPlain || !isFirst) return;
		const isRefused = said(end).some((text) => REFUSED.test(text));
		if (retried.isCut && !step.fault) {
			retriesOfCuts.all++;
			if (isRefused) retriesOfCuts.refused++;
		}
		if (scene.fault || step.fault) return;
		// After an error the ledger is there.
		if (!retried.isCut && isRefused) throw new Error('A Retry after an error is refused');
		// After a kill in a later node, what was wholly done goes on.
		const isDone = retried.runs.every(({ output }) =>
			output?.every(({ error }) => error === undefined),
		);
		const isLater = retried.error === 'killed' && retried.runs.length === 1 && !scene.isNow;
		if (isLater && isDone && !scene.isKeyed && isRefused) {
			throw new Error('A run that was wholly done is refused');
		}
	}

	/** What a person finds out about items in doubt: those that didn't go through, and after a word those that did. */
	private lookedUp({ runs }: Ended, asked: string): string {
		const inDoubt = asked.split(' ').flatMap((range) => {
			const [first, last = first] = range.split('-').map(Number);
			return Array.from({ length: last - first + 1 }, (_none, at) => first + at);
		});
		const inputs = runs.map(({ input }) => input);
		const input = inputs.pop() ?? [];
		// What is known as done isn't one of those that are asked for.
		const done = input.filter((_item, at) => at < Math.max(...inDoubt) && !inDoubt.includes(at));
		const left = new Map(this.world.applied);
		for (const { customer } of [...inputs.flat(), ...done]) {
			left.set(customer, (left.get(customer) ?? 0) - 1);
		}
		const went: number[] = [];
		const unsent: number[] = [];
		for (const at of inDoubt) {
			const { customer } = input[at];
			const count = left.get(customer) ?? 0;
			left.set(customer, count - 1);
			(count > 0 ? went : unsent).push(at);
		}
		return [...unsent, ...(went.length > 0 ? ['sent', ...went] : [])].join(' ');
	}

	/** A person does what each error says, until all customers are charged. Who is stopped by a limit raises it. */
	async follow(): Promise<void> {
		const { world, scene } = this;
		let end = this.ends[this.ends.length - 1];
		let form: Parameters<World['execute']>[0]['form'] = { key: world.keyOfScene };
		for (let turn = 0; turn < 12; turn++) {
			if (this.missing().length === 0) return;
			const { error } = end;
			const advice = error ?? '';
			const [, code, asked] =
				/enter (run-[\w-]{12}) ([\d -]+) in the option Release Key/.exec(advice) ?? [];
			const isError = error !== undefined && error !== 'killed' && !end.isCut;
			if (code) {
				form = { ...form, releaseKey: `${code} ${this.lookedUp(end, asked)}` };
				end = await world.execute({ retried: end, form });
			} else if (isError && !/in a new execution/.test(advice)) {
				// Such as a declined card.
				end = await world.execute({ retried: end, form });
			} else {
				const items = this.missing().map((customer, at) => ({
					customer,
					order: `new-${turn}-${at}`,
				}));
				form = { key: scene.isKeyed ? world.keyOfScene : undefined };
				end = await world.execute({ items, form });
			}
			this.check(end);
		}
		throw new Error(`The advice leads nowhere: ${JSON.stringify(said(end))}`);
	}
}

/** A customer was charged by the end of a run, or got the other operation. */
const wasSent = ({ charged }: Ended['runs'][0], customer: string): boolean =>
	charged.has(customer) || charged.has(`${customer} otherwise`);

/** All that an execution says. */
export const said = ({ error, runs }: Ended): string[] => [
	...(error === undefined ? [] : [error]),
	...runs.flatMap(({ output = [] }) =>
		output.flatMap((json) => (json.error ? [String(json.error)] : [])),
	),
];
