// Made by `npm run generate` from package.json: change the version there.

/** Version of this package. */
export const VERSION = '1.0.0';
