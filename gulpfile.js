// Copies what the TypeScript compiler leaves behind: icons, codex files and output schema previews.
const { dest, src } = require('gulp');

const assets = ['icons/*.svg', 'nodes/**/*.json'];

exports.default = () => src(assets, { base: '.', encoding: false }).pipe(dest('dist'));
