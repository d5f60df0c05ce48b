const project = (displayName, testMatch) => ({
  displayName,
  testMatch,
  testEnvironment: 'node',
  // Resolves workspace packages to their sources, as the services do in development.
  testEnvironmentOptions: { customExportConditions: ['cobro-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': `${import.meta.dirname}/strip-transform.mjs` },
})

/** Every package's Jest setup. Needs NODE_OPTIONS=--experimental-vm-modules, set by `npm test`. */
export default {
  projects: [
    project('unit', ['<rootDir>/src/**/*.test.ts']),
    project('integration', ['<rootDir>/test/**/*.itest.ts']),
    project('acceptance', ['<rootDir>/test/**/*.atest.ts']),
  ],
  // Ends a test that hangs. Jest ignores the testTimeout of a project (jestjs/jest#9759), so this one is long enough for
  // acceptance tests and their hooks on a machine whose CPU others use: starting two replicas of each service took two minutes.
  // Give each project its own timeout once jest-circus reads it from there: version 30 reads only the global one.
  testTimeout: 600_000,
}
