import { annotationCases } from './annotations.js'
import { counterCases } from './counters.js'
import { fileCases } from './files.js'
import { headerCases } from './headers.js'
import { healthCases } from './health.js'
import { int64Cases } from './int64.js'
import { jsonCases } from './json.js'
import { labelCases } from './labels.js'
import { lifecycleCases } from './lifecycle.js'
import { limitCases } from './limits.js'
import { addValueCases } from './lists.js'
import { removeValueCases } from './lists-remove.js'
import { methodCases } from './methods.js'
import { nameCases } from './names.js'
import { oddFileCases } from './odd-files.js'
import { pathCases } from './paths.js'
import { reserveCases } from './reserve.js'
import { updateListCases } from './update-list.js'
import { updateMaskCases } from './update-mask.js'

/** Everything that local mode answers, by area. */
export const wireAreas = {
  methods: methodCases,
  paths: pathCases,
  names: nameCases,
  headers: headerCases,
  'JSON bodies': jsonCases,
  'bodies around 4 MiB': limitCases,
  health: healthCases,
  lifecycle: lifecycleCases,
  reserve: reserveCases,
  labels: labelCases,
  annotations: annotationCases,
  counters: counterCases,
  'lists, adding': addValueCases,
  'lists, removing': removeValueCases,
  'lists, updating': updateListCases,
  'lists, masks': updateMaskCases,
  'spelling of integers': int64Cases,
  'started with a file': fileCases,
  'started with an odd file': oddFileCases,
}
