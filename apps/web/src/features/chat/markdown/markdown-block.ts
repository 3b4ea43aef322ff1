import { defineComponent, type PropType } from 'vue';
import type { Block } from './parse.ts';
import { nodesOf } from './render.ts';

/** One block; it is rendered again only when its tokens are others. */
export default defineComponent({
  props: { tokens: { type: Array as unknown as PropType<Block>, required: true } },
  setup: (props) => () => nodesOf(props.tokens),
});
