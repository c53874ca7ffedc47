// Loaded by each worker before anything else. When the first worker asks for its data, jest-light-runner 0.8 sends them
// to all, once: one that is slower to start, and doesn't listen yet, would wait for them for ever. So they're kept for it.
process.on('newListener', function first(event) {
	if (event !== 'message') return;
	process.off('newListener', first);
	process.on('message', (message) => {
		if (message?.type !== 'jest-light-runner-worker-data') return;
		process.on('newListener', (name, listener) => {
			if (name === 'message') process.nextTick(listener, message);
		});
	});
});
