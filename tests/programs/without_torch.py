import json
import sys

print(json.dumps({"hello": sys.argv[1:]}))
print("nothing to see", file=sys.stderr)
