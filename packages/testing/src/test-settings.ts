/** What `npm test` gives to the tests of a package. Missing, it is a fault: a test never falls back to something weaker. */
export function testSetting(name: 'TEST_POSTGRES_URL' | 'TEST_AMQP_URL' | 'CHROMIUM_PATH'): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set. Run the tests by npm test, which starts what they need.`)
  return value
}
