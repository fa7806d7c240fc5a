// Exact cover by hand-written dancing links (Knuth's algorithm X, the item with the fewest options first) and by dancing
// cells, for bench_cover.py: counts solutions of a problem without colours.
//
//     cover links|cells < PROBLEM
//
// PROBLEM: the number of primary items, the number of options; then a line each: how many items, and their numbers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int items, options, *degree, **option;
static long long found, nodes;

// Dancing links. Node i < items is a header; the nodes of an option stand together between spacers.
static int *up, *down, *left, *right, *top, *len;

static void hide(int p) {
  for (int q = p + 1; q != p;) {
    int x = top[q];
    if (x < 0) { q = up[q]; continue; }
    int u = up[q], d = down[q];
    down[u] = d; up[d] = u; len[x]--; q++;
  }
}

static void unhide(int p) {
  for (int q = p - 1; q != p;) {
    int x = top[q];
    if (x < 0) { q = down[q]; continue; }
    int u = up[q], d = down[q];
    down[u] = q; up[d] = q; len[x]++; q--;
  }
}

static void cover(int i) {
  for (int p = down[i]; p != i; p = down[p]) hide(p);
  int l = left[i], r = right[i];
  right[l] = r; left[r] = l;
}

static void uncover(int i) {
  int l = left[i], r = right[i];
  right[l] = i; left[r] = i;
  for (int p = up[i]; p != i; p = up[p]) unhide(p);
}

static void links(void) {
  nodes++;
  if (right[0] == 0) { found++; return; }
  int best = 1 << 30, chosen = 0;
  for (int i = right[0]; i; i = right[i]) if (len[i] < best) best = len[i], chosen = i;
  if (!best) return;
  cover(chosen);
  for (int p = down[chosen]; p != chosen; p = down[p]) {
    for (int q = p + 1; q != p;) { if (top[q] < 0) q = up[q]; else cover(top[q++]); }
    links();
    for (int q = p - 1; q != p;) { if (top[q] < 0) q = down[q]; else uncover(top[q--]); }
  }
  uncover(chosen);
}

static void build_links(void) {
  int cells = items + 2 + options;
  for (int o = 0; o < options; o++) cells += degree[o];
  up = malloc(4 * cells); down = malloc(4 * cells); top = malloc(4 * cells);
  left = malloc(4 * (items + 1)); right = malloc(4 * (items + 1)); len = calloc(items + 1, 4);
  for (int i = 0; i <= items; i++) {
    up[i] = down[i] = i; left[i] = i ? i - 1 : items; right[i] = i < items ? i + 1 : 0;
  }
  int n = items + 1, start;
  top[n] = -1; up[n] = 0;
  for (int o = 0; o < options; o++) {
    int spacer = n++;
    start = n;
    for (int k = 0; k < degree[o]; k++, n++) {
      int i = option[o][k] + 1;
      top[n] = i; up[n] = up[i]; down[n] = i; down[up[i]] = n; up[i] = n; len[i]++;
    }
    down[spacer] = n - 1; top[n] = -1; up[n] = start;
  }
}

// Dancing cells. set[base[i]..base[i]+size[i]) are the open nodes of item i; where[node] is the place in it.
static int *set, *where, *base, *size, *item_of, *first_of, *option_of, *active, *place, actives;

static int *trail, trails;
static char *taken;

static void deactivate(int i) {
  int p = place[i], j = active[--actives];
  active[p] = j; place[j] = p; active[actives] = i; place[i] = actives;
}

static void cells(void) {
  nodes++;
  if (!actives) { found++; return; }
  int best = 1 << 30, chosen = 0;
  for (int a = 0; a < actives; a++) if (size[active[a]] < best) best = size[active[a]], chosen = active[a];
  int saved = actives, mark = trails;
  for (int a = 0; a < actives; a++) trail[trails++] = active[a], trail[trails++] = size[active[a]];
  int end = trails;
  for (int s = 0; s < best; s++) {
    int o = option_of[set[base[chosen] + s]], alive = 1;
    for (int k = 0; k < degree[o]; k++) taken[item_of[first_of[o] + k]] = 1;
    // An item at a time: the next one's options are then without those of the one before.
    // The chosen one is the first, because its set must stay in its order.
    for (int k = -1; k < degree[o] && alive; k++) {
      int i = k < 0 ? chosen : item_of[first_of[o] + k];
      if (place[i] >= actives) continue;
      deactivate(i);
      for (int t = 0; t < size[i] && alive; t++) {
        int gone = option_of[set[base[i] + t]];
        for (int node = first_of[gone]; node < first_of[gone] + degree[gone]; node++) {
          int j = item_of[node];
          if (place[j] >= actives) continue;
          int last = --size[j], w = where[node];
          if (!last && !taken[j]) { alive = 0; break; }
          int other = set[base[j] + last];
          set[base[j] + w] = other; where[other] = w; set[base[j] + last] = node; where[node] = last;
        }
      }
    }
    for (int k = 0; k < degree[o]; k++) taken[item_of[first_of[o] + k]] = 0;
    if (alive) cells();
    actives = saved;
    for (int t = mark; t < end; t += 2) size[trail[t]] = trail[t + 1];
  }
  trails = mark;
}

static void build_cells(void) {
  int total = 0;
  for (int o = 0; o < options; o++) total += degree[o];
  set = malloc(4 * total); where = malloc(4 * total); item_of = malloc(4 * total); option_of = malloc(4 * total);
  first_of = malloc(4 * options); base = calloc(items + 1, 4); size = calloc(items, 4);
  active = malloc(4 * items); place = malloc(4 * items); taken = calloc(items, 1); trail = malloc(8 * items * (items + 2));
  for (int o = 0, n = 0; o < options; o++) {
    first_of[o] = n;
    for (int k = 0; k < degree[o]; k++, n++) item_of[n] = option[o][k], option_of[n] = o, base[option[o][k] + 1]++;
  }
  for (int i = 0; i < items; i++) base[i + 1] += base[i], active[i] = place[i] = i;
  for (int n = 0; n < total; n++) {
    int i = item_of[n];
    where[n] = size[i]; set[base[i] + size[i]++] = n;
  }
  actives = items;
}

int main(int argc, char **argv) {
  if (argc < 2 || scanf("%d %d", &items, &options) != 2) return 2;
  degree = malloc(sizeof(int) * options); option = malloc(sizeof(int *) * options);
  for (int o = 0; o < options; o++) {
    if (scanf("%d", &degree[o]) != 1) return 2;
    option[o] = malloc(sizeof(int) * degree[o]);
    for (int k = 0; k < degree[o]; k++) if (scanf("%d", &option[o][k]) != 1) return 2;
  }
  if (strcmp(argv[1], "links") == 0) { build_links(); links(); }
  else { build_cells(); cells(); }
  printf("%lld %lld\n", found, nodes);
}
