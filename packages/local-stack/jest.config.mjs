export { default } from '../../packages/testing/jest.preset.mjs'
