import { AcquirerUnavailable, rejectUnavailable, UnreadableNotification } from './acquirer-errors.ts'

const thrownFor = (error: Error) => Promise.reject(error).catch(rejectUnavailable)

test('an unavailable acquirer is a 503 whose cause is kept for the log', async () => {
  const cause = new AcquirerUnavailable('a timeout')
  await expect(thrownFor(cause)).rejects.toMatchObject({ code: 'unavailable', status: 503, cause })
})

test('other errors of the acquirer are thrown as they are', async () => {
  const error = new UnreadableNotification()
  await expect(thrownFor(error)).rejects.toBe(error)
})
