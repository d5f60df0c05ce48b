/**
 * The Jest configuration of all packages. jest-light-runner runs each test file in a long-lived
 * worker thread, as Node would, so files share the modules that they import. `npm test` sets
 * --conditions=cobro-source, which resolves packages to their sources.
 */
export default {
  runner: 'jest-light-runner',
  testMatch: ['<rootDir>/{packages,services}/*/{src,test}/**/*.{test,itest,atest,ftest,ltest}.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/.cobro', '/dist/'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testSequencer: '<rootDir>/packages/testing/slowest-first.mjs',
  setupFilesAfterEnv: [
    '<rootDir>/packages/testing/test-timeout.mjs',
    '<rootDir>/packages/testing/described-statuses.mjs',
  ],
  transform: {},
  haste: { forceNodeFilesystemAPI: true },
}
