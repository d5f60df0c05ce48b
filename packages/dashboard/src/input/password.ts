/** How many characters a password has at least. The API rejects shorter ones. */
export const shortestPassword = 12
