import { healthCases, int64Cases, jsonCases, lifecycleCases, limitCases } from './bodies.js'
import { counterCases } from './counters.js'
import { fileCases, gateCases } from './files.js'
import { updateListCases, updateMaskCases, valueCases } from './lists.js'
import { metadataCases } from './metadata.js'
import { headerCases, methodCases, nameCases, pathCases } from './routes.js'

/** Everything that local mode answers, by area. */
export const wireAreas = {
  methods: methodCases,
  paths: pathCases,
  names: nameCases,
  headers: headerCases,
  'JSON bodies': jsonCases,
  'bodies around 4 MiB': limitCases,
  health: healthCases,
  'states and reservations': lifecycleCases,
  'labels and annotations': metadataCases,
  counters: counterCases,
  'lists, values': valueCases,
  'lists, updating': updateListCases,
  'lists, masks': updateMaskCases,
  'spelling of integers': int64Cases,
  'counters and lists off': gateCases,
  'started with a file': fileCases,
}
