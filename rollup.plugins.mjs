/** The few things the build does itself, each a Rollup plugin. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minify } from 'terser'

const isVendored = (path) => path.includes('node_modules/')

/**
 * The TypeScript plugin reads all sources anew for every build it is part of; this way only for the first. `close()`
 * when all are done, or its file watchers keep the process.
 */
export const shared = (plugin) => {
  let started = false
  return {
    ...plugin,
    buildStart(options) {
      if (started) return
      started = true
      plugin.buildStart.call(this, options)
    },
    buildEnd: undefined,
    close: () => { if (started) plugin.buildEnd.call({ meta: { watchMode: false } }) },
  }
}

/** Source maps carry our sources, so that they need not be packed; of libraries they only name them. */
export const slimMaps = () => ({
  name: 'slim-maps',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue
      const map = JSON.parse(file.source)
      map.sourcesContent = map.sourcesContent?.map((text, i) => isVendored(map.sources[i]) ? null : text)
      file.source = JSON.stringify(map)
    }
  },
})

/** Libraries are two thirds of what the CLI weighs, and nobody reads them here. */
export const minifyVendorChunks = () => ({
  name: 'minify-vendor-chunks',
  async renderChunk(code, chunk, { format }) {
    if (!chunk.moduleIds.length || !chunk.moduleIds.every((id) => isVendored(id) || id.startsWith('\0'))) return null
    const result = await minify(code, {
      module: format === 'es',
      sourceMap: { includeSources: false },
      compress: false,
      // Libraries show names of their classes in messages.
      keep_classnames: true,
    })
    return { code: result.code, map: result.map }
  },
})

export const executable = (fileName) => ({
  name: 'executable',
  writeBundle({ dir }, bundle) {
    if (bundle[fileName]) chmodSync(join(dir, fileName), 0o755)
  },
})

/** A CommonJS entry needs types of its own, or TypeScript takes it for an ES module. */
export const copyTypesForRequire = (formats) => ({
  name: 'copy-types-for-require',
  generateBundle(_options, bundle) {
    if (!formats.includes('cjs')) return
    for (const file of Object.values(bundle)) {
      if (file.imports?.some((name) => name.startsWith('.') || name in bundle)) {
        throw new Error(`${file.fileName} isn't self-contained`)
      }
      this.emitFile({ type: 'asset', fileName: file.fileName.replace(/\.d\.ts$/, '.d.cts'), source: file.code })
    }
  },
})

/**
 * After the last of `builds` has written: calls `release`, adds the licences of what was bundled, and removes what an
 * earlier build left behind. Never before, so that whoever uses `dist` meanwhile finds every file.
 */
export const withLastStep = (builds, dir, release) => {
  const written = new Set()
  const libraries = new Set()
  let left = builds.length
  const plugin = {
    name: 'last-step',
    writeBundle(options, bundle) {
      for (const { fileName, moduleIds = [] } of Object.values(bundle)) {
        written.add(join(options.dir ?? dir, fileName))
        for (const id of moduleIds.filter(isVendored)) libraries.add(libraryOf(id))
      }
    },
    closeBundle() {
      left -= 1
      if (left > 0) return
      release()
      const licences = join(dir, 'third-party-licenses.txt')
      writeFileSync(licences, [...libraries].sort().map(licenceOf).join('\n'))
      removeUnlisted(dir, written.add(licences))
    },
  }
  return builds.map((build) => ({ ...build, plugins: [...build.plugins, plugin] }))
}

/** The folder of the package that a module belongs to. */
const libraryOf = (id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))[0]

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version}, ${license}\n\n${text}\n`
}

function removeUnlisted(dir, written) {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !written.has(path)) rmSync(path)
  }
}
