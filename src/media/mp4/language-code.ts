/** ISO 639-1 codes, each followed by its ISO 639-2/T code. */
const CODES =
  'aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bibis bmbam bnben ' +
  'bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell ' +
  'eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv ' +
  'hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl itita ' +
  'iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor kykir ' +
  'lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt ' +
  'mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs papan ' +
  'pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk slslv ' +
  'smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tntsn toton ' +
  'trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor zazha zhzho ' +
  'zuzul';

const UNDETERMINED = 'und';
const BY_TWO_LETTERS = new Map(CODES.split(' ').map((pair) => [pair.slice(0, 2), pair.slice(2)]));

/**
 * Packs a language tag (BCP 47) into the 15 bits of an mdhd box (ISO 14496-12 section 8.4.2): three letters of five
 * bits. A tag whose language has no ISO 639-2 code becomes `und`.
 */
export function packLanguageCode(tag: string): number {
  const [primary = ''] = tag.toLowerCase().split('-');
  const code = /^[a-z]{3}$/.test(primary) ? primary : (BY_TWO_LETTERS.get(primary) ?? UNDETERMINED);
  return [...code].reduce((packed, letter) => packed * 32 + letter.charCodeAt(0) - 0x60, 0);
}
