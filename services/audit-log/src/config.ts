import { internalJwks } from '@cobro/http'
import { readConfig, serviceSettings } from '@cobro/runtime'
import type { z } from 'zod'

/** What it is told by its environment. */
export const settings = serviceSettings.extend({
  INTERNAL_JWKS: internalJwks,
})

export type Config = z.output<typeof settings>

export const config = () => readConfig(settings)
