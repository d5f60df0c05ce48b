import { testSetting } from './test-settings.ts'

test('testSetting explains how to run the tests if a setting is missing', () => {
  const before = process.env.TEST_AMQP_URL
  delete process.env.TEST_AMQP_URL
  try {
    expect(() => testSetting('TEST_AMQP_URL')).toThrow(
      'TEST_AMQP_URL is not set. Run the tests with npm test, which starts a RabbitMQ',
    )
  } finally {
    if (before !== undefined) process.env.TEST_AMQP_URL = before
  }
})
