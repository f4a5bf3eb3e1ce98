// The pile command. What it can do is in Verbs, one file a verb; how each failure ends it is in Running/Failures.
// It holds no state between runs, and changes a pile only by the verbs that say so.
using Pile.Tool;
using Pile.Tool.Output;

StandardError.Take();
return (int)ToolCommand.Run(args);
