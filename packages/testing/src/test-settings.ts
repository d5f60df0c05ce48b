/** The settings that `npm test` passes to tests, and what to do if one is missing. */
const remedies = {
  TEST_POSTGRES_URL: 'Run the tests with npm test, which starts a PostgreSQL.',
  TEST_AMQP_URL: 'Run the tests with npm test, which starts a RabbitMQ.',
  TEST_RABBITMQ_API_URL: 'Run the tests with npm test, or set the URL of the RabbitMQ’s management API.',
  CHROMIUM_PATH: 'Run the tests with npm test, and install Chromium if npm test cannot.',
  PGBOUNCER_PATH: 'Run the tests with npm test, and install PgBouncer if npm test cannot.',
}

/** Reads a test setting. Throws if it is missing, so that no test is skipped or weakened. */
export function testSetting(name: keyof typeof remedies): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set. ${remedies[name]}`)
  return value
}
