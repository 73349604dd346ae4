import { read } from '../support/source.js'

/** What the package has bundled, by name, with the version: as `third-party-licenses.txt` tells. */
export const bundledLibraries = (): Record<string, string> =>
  Object.fromEntries(
    [...read('dist/third-party-licenses.txt').matchAll(/^pkg:npm\/(.+)@(.+)$/gm)].map(([, name, version]) => [
      name!,
      version!,
    ]),
  )
