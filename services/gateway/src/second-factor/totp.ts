import { generateSecret, generateURI, verify } from 'otplib'

/** The name under which authenticator apps show the codes. */
const issuer = 'Cobro'

/** A code is also accepted in the 30 seconds before and after its own, for clocks that differ. */
const toleranceSeconds = 30

/** Returns a new secret of 160 bits in base32. */
export const newTotpSecret = (): string => generateSecret()

/** Returns the `otpauth` URI of a secret, which apps read as a QR code. */
export function totpUri(email: string, secret: string): string {
  return generateURI({ issuer, label: email, secret })
}

/**
 * Returns the step of 30 seconds that a code of six digits belongs to; undefined if it is wrong, or of `lastStep` or before.
 * `epoch` is the time in seconds.
 */
export async function totpStep(
  secret: string,
  token: string,
  lastStep: number,
  epoch = Math.floor(Date.now() / 1000),
): Promise<number | undefined> {
  const result = await verify({ secret, token, epoch, epochTolerance: toleranceSeconds })
  const step = result.valid && 'timeStep' in result ? result.timeStep : undefined
  // A replica with a faster clock may have accepted a code of a later step.
  return step !== undefined && step > lastStep ? step : undefined
}
