# The Helm chart: charts/hookwright.
HELM=helm.sh/helm/v3/cmd/helm@v3.19.2
VALIDATE=kubernetes-validate==1.37.0
# The oldest and the newest Kubernetes; Chart.yaml has the oldest.
KUBERNETES='1.25 1.37'
chart=charts/hookwright
export PATH="$CACHE/bin:$PATH" PYTHONPATH="$CACHE/python${PYTHONPATH:+:$PYTHONPATH}"

tools() {
  if ! has helm; then
    has go || missing helm 'or Go, to build it' || return
    GOBIN="$CACHE/bin" go install -ldflags='-s -w' "$HELM" >"$WORK/go" 2>&1 ||
      { tail -n 3 "$WORK/go"; missing helm "go install $HELM failed"; } || return
  fi
  has python3 || missing python3 'for kubernetes-validate' || return
  python3 -c 'import kubernetes_validate, yaml' 2>/dev/null ||
    python3 -m pip install --quiet --target "$CACHE/python" "$VALIDATE" >"$WORK/pip" 2>&1 ||
    { tail -n 3 "$WORK/pip"; missing kubernetes-validate 'pip install failed'; }
}

# The link to ops/alert-rules.yml is meant.
render() { # <values> <options…>
  local values=$1
  shift
  helm template hooks $chart --namespace hooks --kube-version "${KUBERNETES%% *}.0" --values "$values" "$@" \
    2> >(grep -v 'found symbolic link' >&2)
}

like_golden() { # <values>
  local golden=$chart/ci/golden/${1##*/}
  if [ -n "${UPDATE:-}" ]; then
    render "$1" >"$golden"
  else
    render "$1" | diff "$golden" - || { echo 'If that is meant: UPDATE=1 .ci/packaging chart'; return 1; }
  fi
}

# Each line of refused.txt, and nothing else about the same values, must be refused by a sentence with its name.
all_refused() {
  local setting word said bad=0
  while IFS=$'\t' read -r setting word; do
    if said=$(render $chart/ci/minimal.yaml --set "$setting" 2>&1 >/dev/null); then
      echo "accepted: $setting"
      bad=1
    elif ! grep -q "values don't meet the specifications" <<<"$said" || ! grep -qw -- "$word" <<<"$said"; then
      echo "$setting: $said"
      bad=1
    fi
  done < <(grep -v '^#' $chart/ci/refused.txt)
  return $bad
}

packaged() {
  helm package $chart --destination "$WORK" &&
    tar xzOf "$WORK"/hookwright-*.tgz hookwright/files/alert-rules.yml | cmp - ops/alert-rules.yml
}

checks() {
  check 'chart: helm lint --strict' helm lint --strict $chart --values $chart/ci/minimal.yaml
  local values
  for values in "$chart"/ci/*.yaml; do
    check "chart: ${values##*/} makes its golden file" like_golden "$values"
  done
  check "chart: Kubernetes ${KUBERNETES// / and } take every object, and each pod is as closed as it can be" \
    python3 .ci/checks/chart.py $KUBERNETES
  check 'chart: the schema refuses bad values, and secrets in values' all_refused
  check 'chart: helm package makes an archive with the alert rules in it' packaged
}
