// What takes long, or changes rarely: run once a week, and before a release.
module.exports = {
	...require('../registry/jest.config.cjs'),
	testMatch: ['<rootDir>/test/weekly/**/*.test.cts'],
};
