import { testSetting } from './test-settings.ts'

test('a missing setting is a fault that says how to run the tests', () => {
  const before = process.env.TEST_AMQP_URL
  delete process.env.TEST_AMQP_URL
  try {
    expect(() => testSetting('TEST_AMQP_URL')).toThrow(
      'TEST_AMQP_URL is not set. Run the tests by npm test, which starts a RabbitMQ',
    )
  } finally {
    if (before !== undefined) process.env.TEST_AMQP_URL = before
  }
})
