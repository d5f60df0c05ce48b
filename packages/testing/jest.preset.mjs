const project = (displayName, testMatch) => ({
  displayName,
  testMatch,
  testEnvironment: 'node',
  // Workspace packages are run from their sources, as the services themselves are in development.
  testEnvironmentOptions: { customExportConditions: ['cobro-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': `${import.meta.dirname}/strip-transform.mjs` },
})

/** What a package's jest.config.mjs exports. Needs NODE_OPTIONS=--experimental-vm-modules; `npm test` sets it. */
export default {
  projects: [
    project('unit', ['<rootDir>/src/**/*.test.ts']),
    project('integration', ['<rootDir>/test/**/*.itest.ts']),
    project('acceptance', ['<rootDir>/test/**/*.atest.ts']),
  ],
  // A limit of a single project is ignored by Jest 30, so this one suits integration tests.
  testTimeout: 30_000,
}
