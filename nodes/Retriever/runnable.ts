// A function as LangChain's runnables are, without its classes: what a chain, a retriever or a Code
// node of n8n calls.

/** What `pipe` takes besides a function. */
interface Next {
	invoke(input: unknown, config?: unknown): unknown;
}

type Invoke<Input, Output> = (input: Input, config?: unknown) => Promise<Output>;

/** What LangChain takes for a runnable: `lc_runnable` says so. */
export interface Runnable<Input, Output> {
	lc_runnable: true;
	invoke: Invoke<Input, Output>;
	/** The responses to several inputs, in their order. */
	batch(inputs: Input[], config?: unknown): Promise<Output[]>;
	/** The whole response, as one piece. */
	stream(input: Input, config?: unknown): Promise<AsyncGenerator<Output>>;
	/** The same for inputs that come as a stream; the last one counts. */
	transform(inputs: AsyncIterable<Input>, config?: unknown): AsyncGenerator<Output>;
	/** The same with settings of LangChain's own, such as a signal. */
	withConfig(config: unknown): Runnable<Input, Output>;
	/** Hands each response to a function or another runnable. */
	pipe(next: unknown): Runnable<Input, unknown>;
}

const isNext = (value: unknown): value is Next =>
	typeof value === 'object' &&
	value !== null &&
	'invoke' in value &&
	typeof value.invoke === 'function';

/** Hands an input to what `pipe` was given. */
function callOf(next: unknown): (input: unknown, config?: unknown) => unknown {
	if (typeof next === 'function') return (input, config) => next(input, config) as unknown;
	if (isNext(next)) return (input, config) => next.invoke(input, config);
	throw new Error('pipe() takes a function or a runnable');
}

const merged = (one: unknown, other: unknown) => Object.assign({}, one, other);

export function runnable<Input, Output>(invoke: Invoke<Input, Output>): Runnable<Input, Output> {
	async function* piece(input: Input, config?: unknown) {
		yield await invoke(input, config);
	}
	return {
		lc_runnable: true,
		invoke,
		batch: async (inputs, config) =>
			await Promise.all(
				inputs.map(
					async (input, index) =>
						await invoke(input, Array.isArray(config) ? config[index] : config),
				),
			),
		stream: async (input, config) => piece(input, config),
		async *transform(inputs, config) {
			let last: { input: Input } | undefined;
			for await (const input of inputs) last = { input };
			if (last) yield await invoke(last.input, config);
		},
		withConfig: (config) =>
			runnable(async (input, own) => await invoke(input, merged(config, own))),
		pipe(next) {
			const call = callOf(next);
			return runnable(async (input, config) => await call(await invoke(input, config), config));
		},
	};
}
