/**
 * Why payers need each file of the page: the written justification of PCI DSS 6.4.3. Keys are names without their hash.
 * A file or package without a purpose fails the build: to add one here is to authorize it.
 */
export const filePurposes: Readonly<Record<string, string>> = {
  'index.html': 'The page itself: the loading state, and references to the files below.',
  'index.js':
    'Shows what is paid, reads and checks the card in its fields, encrypts it to the acquirer, sends the payment and shows its outcome.',
  'index.css': 'The layout and colors of the page, on screen and printed.',
  'cobro-mark.svg': "The icon in the browser's tab.",
}

/** Why the script contains the code of each package from outside of the project. */
export const packagePurposes: Readonly<Record<string, string>> = {
  jose: 'Encrypts the card as JWE with the Web Crypto API of the browser.',
  preact: 'Renders the page from its state.',
}
