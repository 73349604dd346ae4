/** `npm run docs`: builds the site again when a page, a style or a script of it changes, and reloads it in the browser. */
import { join, relative } from 'node:path'
import { createServer } from 'vite'
import { buildSite } from './build.mjs'

const root = join(import.meta.dirname, '..', '..')
const out = join(root, 'site')
const { reference } = await buildSite({ out, onMissing: console.warn })

const server = await createServer({
  root: out,
  appType: 'mpa',
  configFile: false,
  publicDir: false,
  clearScreen: false,
})
server.watcher.add([join(root, 'README.md'), join(root, 'docs')])
let building = Promise.resolve()
let isDue = false
server.watcher.on('all', (_event, path) => {
  if (path.startsWith(out) || isDue) return
  isDue = true
  building = building.then(async () => {
    isDue = false
    try {
      await buildSite({ out, onMissing: console.warn, reference })
      server.ws.send({ type: 'full-reload' })
      console.log(`Built again for ${relative(root, path)}.`)
    } catch (error) {
      console.error(error)
    }
  })
})
await server.listen()
server.printUrls()
