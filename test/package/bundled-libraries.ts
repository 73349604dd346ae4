import { read } from '../support/source.js'

/** The versions of the bundled packages by name, from `third-party-licenses.txt`. */
export const bundledLibraries = (): Record<string, string> =>
  Object.fromEntries(
    [...read('dist/third-party-licenses.txt').matchAll(/^pkg:npm\/(.+)@(.+)$/gm)].map(([, name, version]) => [
      name!,
      version!,
    ]),
  )
