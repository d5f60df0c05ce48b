import { z } from 'zod'

/** A code of the user's app, or a recovery code. */
export const factorCode = z
  .string()
  .min(6)
  .max(32)
  .meta({ description: 'The code that the app shows, or a recovery code.', examples: ['492039'] })
