// Turns a function into a LangChain runnable, without LangChain's classes, for chains, retrievers and Code nodes of n8n.

type Call = (input: unknown, config?: unknown) => unknown;

type Invoke<Input, Output> = (input: Input, config?: unknown) => Promise<Output>;

/** LangChain recognizes a runnable by `lc_runnable`. */
export interface Runnable<Input, Output> {
	lc_runnable: true;
	invoke: Invoke<Input, Output>;
	/** Runs all inputs at once. Outputs are in their order. LangChain gives one config for all, or a list of configs. */
	batch(inputs: Input[], config?: unknown): Promise<Output[]>;
	/** Yields the whole output as one chunk. */
	stream(input: Input, config?: unknown): Promise<AsyncGenerator<Output>>;
	/** Takes an input as a stream, and yields one output. */
	transform(inputs: AsyncIterable<Input>, config?: unknown): AsyncGenerator<Output>;
	/** Returns a runnable with a preset config of LangChain, such as a signal. */
	withConfig(config: unknown): Runnable<Input, Output>;
	/** Passes each output on to a function or another runnable. */
	pipe(next: unknown): Runnable<Input, unknown>;
}

/** @throws Error if `next` is neither a function nor a runnable */
function callOf(next: unknown): Call {
	if (typeof next === 'function') return next as Call;
	const other = next as { invoke?: Call } | null | undefined;
	if (typeof other?.invoke === 'function') return other.invoke.bind(other);
	throw new Error('pipe() takes a function or a runnable');
}

/** @param invoke gets the config of LangChain with each call */
export function runnable<Input, Output>(invoke: Invoke<Input, Output>): Runnable<Input, Output> {
	async function* oneChunk(input: Input, config?: unknown) {
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
		stream: async (input, config) => oneChunk(input, config),
		async *transform(inputs, config) {
			let whole: unknown;
			let isEmpty = true;
			for await (const input of inputs) {
				// A model streams a text in pieces. Of anything else the last one counts.
				const isPiece = typeof input === 'string' && typeof whole === 'string';
				whole = isPiece ? `${String(whole)}${input}` : input;
				isEmpty = false;
			}
			if (!isEmpty) yield await invoke(whole as Input, config);
		},
		withConfig: (config) =>
			// The config of a call wins.
			runnable(async (input, ofCall) => await invoke(input, Object.assign({}, config, ofCall))),
		pipe(next) {
			const call = callOf(next);
			return runnable(async (input, config) => await call(await invoke(input, config), config));
		},
	};
}
