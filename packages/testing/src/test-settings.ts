/** What `npm test` gives to the tests of a package, and what to do where it is missing. */
const remedies = {
  TEST_POSTGRES_URL: 'Run the tests by npm test, which starts a PostgreSQL for them.',
  TEST_AMQP_URL: 'Run the tests by npm test, which starts a RabbitMQ for them.',
  CHROMIUM_PATH: 'Run the tests by npm test, and install Chromium where it finds none and cannot get it.',
}

/** Reads one of the tests' settings. Missing, it is a fault: a test never falls back to something weaker, or skips itself. */
export function testSetting(name: keyof typeof remedies): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set. ${remedies[name]}`)
  return value
}
