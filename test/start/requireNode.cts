// Says so when Node.js is too old, before anything is loaded that would fail in its own words.

const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
	console.error(`Node.js ${OLDEST} or newer is needed; this is ${process.version}.`);
	process.exit(1);
}
