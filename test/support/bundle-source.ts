import { build, stop } from 'esbuild'
import type { Plugin } from 'esbuild'

/** The dashboard's page, which needs the package's build and which these tests don't open. */
const withoutDashboard: Plugin = {
  name: 'without-dashboard',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /&page$/ }, ({ path }) => ({ path, namespace: 'page' }))
    onLoad({ filter: /./, namespace: 'page' }, () => ({ contents: "export const brotli = '', id = '', hashes = {}" }))
  },
}

/** Bundles code and the sources that it imports into one module, which Node and Vite can load from any folder. */
export async function bundleSource(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [withoutDashboard],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
    },
  })
  await stop()
}
