"""Validates the golden files of the chart against Kubernetes versions, and compares them with other files."""
import glob
import json
import re
import sys

import kubernetes_validate
import yaml

CHART = 'charts/hookwright'
faults = []
kinds = set()


def expect(is_true, sentence):
    if not is_true:
        faults.append(sentence)


def expect_hardened(where, pod, settings_of_pod):
    """What runAsNonRoot, a read-only root and Pod Security's level "restricted" ask for."""
    expect(pod['securityContext']['runAsNonRoot'] is True, f'{where}: runAsNonRoot')
    expect(pod['securityContext']['seccompProfile']['type'] == 'RuntimeDefault', f'{where}: seccompProfile')
    expect(pod['automountServiceAccountToken'] is False, f'{where}: token')
    expect(pod['enableServiceLinks'] is False, f'{where}: service links')
    for container in pod['containers']:
        context = container['securityContext']
        expect(context['readOnlyRootFilesystem'] is True, f'{where}: root is not read-only')
        expect(context['allowPrivilegeEscalation'] is False, f'{where}: privilege escalation')
        expect(context['capabilities'] == {'drop': ['ALL']}, f'{where}: capabilities')
        names = [variable['name'] for variable in container['env']]
        expect(len(names) == len(set(names)), f'{where}: a variable is set twice')
        expect(set(names) <= settings_of_pod, f'{where}: {set(names) - settings_of_pod} are no settings')


def extra_variables(golden):
    values = yaml.safe_load(open(golden.replace('/golden/', '/')))
    return {variable['name'] for variable in values.get('extraEnv', [])}


settings = set(re.findall(r'^\| `([A-Z][A-Z0-9_]+)`', open('docs/settings.md').read(), re.M))
for path in sorted(glob.glob(f'{CHART}/ci/golden/*.yaml')):
    for thing in yaml.safe_load_all(open(path)):
        where = f"{path}: {thing['kind']} {thing['metadata']['name']}"
        kinds.add(thing['kind'])
        if thing['apiVersion'].startswith('monitoring.coreos.com/'):
            if thing['kind'] == 'PrometheusRule':
                rules = yaml.safe_load(open('ops/alert-rules.yml'))
                expect(thing['spec'] == rules, f'{where}: its rules are not those of ops/alert-rules.yml')
            continue
        for version in sys.argv[1:]:
            try:
                kubernetes_validate.validate(thing, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                faults.append(f'{where}, Kubernetes {version}: {error.message}')
        if thing['kind'] in ('Deployment', 'Job'):
            pod = thing['spec']['template']['spec']
            expect_hardened(where, pod, settings | {'CREDENTIALS_DIRECTORY'} | extra_variables(path))
            if thing['kind'] == 'Deployment':
                expect(pod['terminationGracePeriodSeconds'] == 30, f'{where}: terminationGracePeriodSeconds')
                selector = thing['spec']['selector']['matchLabels'].items()
                expect(selector <= thing['spec']['template']['metadata']['labels'].items(), f'{where}: selector')

expect(
    kinds
    == {
        *('Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy', 'PodDisruptionBudget'),
        *('PrometheusRule', 'Service', 'ServiceAccount', 'ServiceMonitor'),
    },
    f'kinds of objects: {sorted(kinds)}',
)
chart = yaml.safe_load(open(f'{CHART}/Chart.yaml'))
version = json.load(open('package.json'))['version']
expect(chart['version'] == chart['appVersion'] == version, f'Chart.yaml is not of version {version}')
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
