import { internalJwks, supportedCurrencies } from '@cobro/http'
import {
  httpsUrls,
  inProduction,
  internalServiceSettings,
  originUrl,
  otherBrokerUrl,
  readConfig,
  secretText,
  strongToken,
} from '@cobro/runtime'
import { z } from 'zod'
import { velocitySettings } from './velocity-rules/velocity-settings.ts'

/** The settings, from environment variables. */
export const settings = internalServiceSettings.extend({
  INTERNAL_JWKS: internalJwks,
  // Browsers encrypt the card on secure pages only.
  HOSTED_URL: inProduction(originUrl, httpsUrls).describe('The origin of the hosted pages; https in production'),
  ACQUIRER_URL: inProduction(z.url(), httpsUrls).describe('The URL of the acquirer; https in production'),
  ACQUIRER_API_KEY: inProduction(secretText, strongToken).describe('The API key for the acquirer'),
  AMQP_COMMANDS_URL: otherBrokerUrl.describe(
    'RabbitMQ as the login that sends commands and receives their replies; by default AMQP_URL',
  ),
  CURRENCIES: supportedCurrencies,
  ...velocitySettings,
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
