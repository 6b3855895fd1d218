// What LLVM's C API loses or lacks, in the smallest form that src/llvm can call.
//
// Every function that may run into `report_fatal_error` is guarded: the handler throws, the guard catches, and the caller
// gets the message. LLVM is compiled without exceptions, so frames in between are left without clean-up: the memory they
// held is lost, and the context with it, which is the price of not ending the process on a broken file. Memory faults on a broken file are
// src/rehearsal.rs's concern.

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cstring>
#include <exception>
#include <mutex>
#include <string>

using namespace llvm;

namespace {

struct Fatal {
  std::string message;
};

[[noreturn]] void throw_fatal(void *, const char *reason, bool) {
  throw Fatal{reason};
}

std::once_flag handler_installed;

char *copy(StringRef text) {
  char *out = static_cast<char *>(malloc(text.size() + 1));
  memcpy(out, text.data(), text.size());
  out[text.size()] = 0;
  return out;
}

// Runs `body`; returns null or the message of the fatal error that ended it. The standard library throws too, for a string
// that is too long or memory that is not there. After an exception `*abandoned` is true: the context and all in it is in no
// state to be used or disposed of.
template <typename Body> char *guarded(bool *abandoned, Body body) {
  std::call_once(handler_installed,
                 [] { install_fatal_error_handler(throw_fatal); });
  try {
    return body();
  } catch (const Fatal &fatal) {
    *abandoned = true;
    return copy(fatal.message);
  } catch (const std::exception &exception) {
    *abandoned = true;
    return copy(exception.what());
  } catch (...) {
    *abandoned = true;
    return copy("an unknown exception in LLVM");
  }
}

void copy_bits(const APInt &bits, uint64_t out[2]) {
  out[0] = out[1] = 0;
  for (unsigned i = 0; i < bits.getNumWords() && i < 2; i++)
    out[i] = bits.getRawData()[i];
}

const DataLayout &layout(LLVMModuleRef module) {
  return unwrap(module)->getDataLayout();
}

// LLVM's verifier does not look at every operand of a description, and without assertions a description of the wrong kind is
// taken for the right one, by LLVM's passes as by what follows here. One that does not hold makes the module go without.
class SoundDebugInfo {
  SmallPtrSet<const MDNode *, 32> seen;
  SmallVector<const MDNode *, 64> pending;

  void reach(const Metadata *metadata) {
    if (auto *node = dyn_cast_or_null<MDNode>(metadata))
      if (seen.insert(node).second)
        pending.push_back(node);
  }

  template <typename Holder> void reach_attached(const Holder &holder) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> attached;
    holder.getAllMetadata(attached);
    for (auto &[kind, node] : attached)
      reach(node);
  }

  void reach_instruction(const Instruction &inst) {
    reach_attached(inst);
    for (const Use &operand : inst.operands())
      if (auto *value = dyn_cast<MetadataAsValue>(operand))
        reach(value->getMetadata());
    for (const DbgRecord &record : inst.getDbgRecordRange()) {
      reach(record.getDebugLoc().getAsMDNode());
      if (auto *variable = dyn_cast<DbgVariableRecord>(&record)) {
        reach(variable->getRawVariable());
        reach(variable->getRawExpression());
      }
    }
  }

  template <typename Kind> static bool may_be(const Metadata *metadata) {
    return !metadata || isa<Kind>(metadata);
  }

  template <typename Kind> static bool is(const Metadata *metadata) {
    return metadata && isa<Kind>(metadata);
  }

  template <typename Kind> static bool may_be_list(const Metadata *metadata) {
    if (!metadata)
      return true;
    auto *list = dyn_cast<MDTuple>(metadata);
    return list && all_of(list->operands(), [](const MDOperand &element) {
             return is<Kind>(element);
           });
  }

  static bool have_text(const MDNode *node,
                        std::initializer_list<unsigned> operands) {
    return all_of(operands, [&](unsigned index) {
      return index >= node->getNumOperands() ||
             may_be<MDString>(node->getOperand(index));
    });
  }

  // LLVM goes from base to base until one has a size.
  static bool has_end(const DIDerivedType *type) {
    const unsigned most_layers = 1000;
    for (unsigned i = 0; i < most_layers; i++) {
      if (type->getSizeInBits() != 0)
        return true;
      type = dyn_cast_or_null<DIDerivedType>(type->getRawBaseType());
      if (!type)
        return true;
    }
    return false;
  }

  static bool is_sound_type(const DIType *type) {
    if (!may_be<DIScope>(type->getRawScope()) || !have_text(type, {2}))
      return false;
    if (auto *derived = dyn_cast<DIDerivedType>(type))
      return may_be<DIType>(derived->getRawBaseType()) && has_end(derived);
    if (auto *range = dyn_cast<DISubrangeType>(type))
      return may_be<DIType>(range->getRawBaseType());
    if (auto *composite = dyn_cast<DICompositeType>(type))
      return may_be<DIType>(composite->getRawBaseType()) &&
             may_be_list<DINode>(composite->getRawElements()) &&
             may_be<DIType>(composite->getRawVTableHolder()) &&
             may_be_list<DITemplateParameter>(
                 composite->getRawTemplateParams()) &&
             may_be<MDString>(composite->getRawIdentifier());
    if (auto *subroutine = dyn_cast<DISubroutineType>(type)) {
      const Metadata *raw = subroutine->getRawTypeArray();
      auto *types = dyn_cast_or_null<MDTuple>(raw);
      return !raw || (types && all_of(types->operands(),
                                      [](const MDOperand &element) {
                                        return may_be<DIType>(element);
                                      }));
    }
    return true;
  }

  static bool is_sound(const MDNode *node) {
    if (auto *scope = dyn_cast<DIScope>(node))
      if (!isa<DICommonBlock>(scope) && !may_be<DIFile>(scope->getRawFile()))
        return false;
    if (isa<DIFile>(node))
      return have_text(node, {0, 1});
    if (auto *type = dyn_cast<DIType>(node))
      return is_sound_type(type);
    if (auto *unit = dyn_cast<DICompileUnit>(node))
      return have_text(node, {1, 2, 3, 9, 10}) &&
             may_be_list<DICompositeType>(unit->getRawEnumTypes()) &&
             may_be_list<DIScope>(unit->getRawRetainedTypes()) &&
             may_be_list<DIGlobalVariableExpression>(
                 unit->getRawGlobalVariables()) &&
             may_be_list<DIImportedEntity>(unit->getRawImportedEntities()) &&
             may_be_list<DIMacroNode>(unit->getRawMacros());
    if (auto *subprogram = dyn_cast<DISubprogram>(node))
      return have_text(node, {2, 3}) &&
             may_be<DIScope>(subprogram->getRawScope()) &&
             may_be<DISubroutineType>(subprogram->getRawType()) &&
             may_be<DICompileUnit>(subprogram->getRawUnit()) &&
             may_be<DISubprogram>(subprogram->getRawDeclaration()) &&
             may_be_list<DINode>(subprogram->getRawRetainedNodes()) &&
             may_be<DIType>(subprogram->getRawContainingType()) &&
             may_be_list<DITemplateParameter>(
                 subprogram->getRawTemplateParams()) &&
             may_be_list<DIType>(subprogram->getRawThrownTypes());
    if (auto *location = dyn_cast<DILocation>(node))
      return is<DILocalScope>(location->getRawScope()) &&
             may_be<DILocation>(location->getRawInlinedAt());
    if (auto *block = dyn_cast<DILexicalBlockBase>(node))
      return is<DILocalScope>(block->getRawScope());
    if (auto *space = dyn_cast<DINamespace>(node))
      return may_be<DIScope>(space->getRawScope()) && have_text(node, {2});
    if (auto *module = dyn_cast<DIModule>(node))
      return may_be<DIScope>(module->getRawScope()) &&
             have_text(node, {2, 3, 4, 5});
    if (auto *variable = dyn_cast<DIVariable>(node)) {
      if (auto *global = dyn_cast<DIGlobalVariable>(node))
        if (!may_be<DIDerivedType>(
                global->getRawStaticDataMemberDeclaration()) ||
            !may_be_list<DITemplateParameter>(global->getRawTemplateParams()) ||
            !have_text(node, {5}))
          return false;
      return may_be<DIScope>(variable->getRawScope()) && have_text(node, {1}) &&
             may_be<DIFile>(variable->getRawFile()) &&
             may_be<DIType>(variable->getRawType());
    }
    if (auto *global = dyn_cast<DIGlobalVariableExpression>(node))
      return is<DIGlobalVariable>(global->getRawVariable()) &&
             may_be<DIExpression>(global->getRawExpression());
    if (isa<DIEnumerator>(node))
      return have_text(node, {0});
    if (auto *parameter = dyn_cast<DITemplateParameter>(node))
      return have_text(node, {0}) && may_be<DIType>(parameter->getRawType());
    if (auto *label = dyn_cast<DILabel>(node))
      return may_be<DIScope>(label->getRawScope()) && have_text(node, {1}) &&
             may_be<DIFile>(label->getRawFile());
    if (auto *entity = dyn_cast<DIImportedEntity>(node))
      return may_be<DIScope>(entity->getRawScope()) &&
             may_be<DINode>(entity->getRawEntity()) && have_text(node, {2}) &&
             may_be<DIFile>(entity->getRawFile()) &&
             may_be_list<DINode>(entity->getRawElements());
    return true;
  }

public:
  bool check(const Module &module) {
    for (const NamedMDNode &named : module.named_metadata())
      for (const MDNode *node : named.operands())
        reach(node);
    for (const GlobalVariable &global : module.globals())
      reach_attached(global);
    for (const Function &function : module) {
      reach_attached(function);
      for (const Instruction &inst : instructions(function))
        reach_instruction(inst);
    }
    while (!pending.empty()) {
      const MDNode *node = pending.pop_back_val();
      if (!is_sound(node))
        return false;
      for (const MDOperand &operand : node->operands())
        reach(operand);
    }
    return true;
  }
};

} // namespace

extern "C" {

// ---------------------------------------------------------------------------------------------- reading and linking

// Parses bitcode or assembly and verifies it. Returns null or an error message for LLVMDisposeMessage.
char *sleave_parse(LLVMContextRef context, const char *data, size_t size,
                   const char *name, bool *abandoned, LLVMModuleRef *out) {
  *out = nullptr;
  return guarded(abandoned, [&]() -> char * {
    auto buffer =
        MemoryBuffer::getMemBufferCopy(StringRef(data, size), name);
    SMDiagnostic error;
    auto module = parseIR(*buffer, error, *unwrap(context));
    if (!module) {
      std::string text;
      raw_string_ostream stream(text);
      if (error.getLineNo() > 0)
        stream << "line " << error.getLineNo() << ": ";
      stream << error.getMessage();
      return copy(text);
    }
    std::string text;
    raw_string_ostream stream(text);
    bool broken_debug_info = false;
    if (verifyModule(*module, &stream, &broken_debug_info))
      return copy(text);
    if (broken_debug_info || !SoundDebugInfo().check(*module))
      StripDebugInfo(*module);
    *out = wrap(module.release());
    return nullptr;
  });
}

// Moves `source` into `destination`.
char *sleave_link(LLVMModuleRef destination, LLVMModuleRef source,
                  bool *abandoned) {
  return guarded(abandoned, [&]() -> char * {
    std::unique_ptr<Module> owned(unwrap(source));
    if (Linker::linkModules(*unwrap(destination), std::move(owned)))
      return copy("");
    return nullptr;
  });
}

char *sleave_verify(LLVMModuleRef module, bool *abandoned) {
  return guarded(abandoned, [&]() -> char * {
    std::string text;
    raw_string_ostream stream(text);
    bool broken_debug_info = false;
    if (verifyModule(*unwrap(module), &stream, &broken_debug_info))
      return copy(text);
    return nullptr;
  });
}

} // extern "C"

// ------------------------------------------------------------------------------------------------------- clean-up
//
// SROA and mem2reg for allocas that only their own function can touch. Left alone, SROA would also
// - delete or split a copy between such an alloca and memory that other threads see,
// - load from both sides of a select or in the predecessors of a phi,
// - delete a load whose value is only stored to a dead alloca.
// So every alloca that is not private is pinned by a call SROA takes for an escape, and every access to anything else is
// made volatile while SROA runs. Tests: tests/cleanup.rs.

namespace {

using Privates = SmallPtrSet<AllocaInst *, 32>;

bool is_private_object(Value *pointer, const Privates &privates) {
  Value *object = getUnderlyingObject(pointer, 0);
  if (auto *alloca = dyn_cast<AllocaInst>(object))
    return privates.contains(alloca);
  return false;
}

bool is_constant_object(Value *pointer) {
  auto *global = dyn_cast<GlobalVariable>(getUnderlyingObject(pointer, 0));
  return global && global->isConstant() && !global->isThreadLocal();
}

// An address inside an object of so many bytes, or outside of it.
struct Spot {
  const DataLayout &layout;
  uint64_t size;
  // Unknown behind a variable index: SROA leaves such an object in memory.
  std::optional<int64_t> offset;

  // SROA makes nothing, or anything, of an access that is not inside: then nobody would notice it.
  bool holds(TypeSize bytes) const {
    return !bytes.isScalable() && holds(bytes.getFixedValue());
  }
  bool holds(uint64_t bytes) const {
    return !offset || (*offset >= 0 && static_cast<uint64_t>(*offset) <= size &&
                       bytes <= size - static_cast<uint64_t>(*offset));
  }
  Spot behind(const GetElementPtrInst &gep) const {
    APInt more(layout.getIndexTypeSizeInBits(gep.getType()), 0);
    if (!offset || !gep.accumulateConstantOffset(layout, more))
      return {layout, size, std::nullopt};
    std::optional<int64_t> distance = more.trySExtValue();
    int64_t sum;
    if (!distance || __builtin_add_overflow(*offset, *distance, &sum))
      return {layout, size, -1};
    return {layout, size, sum};
  }
};

// Every use of `pointer` is a plain access within the function and within the object, of a kind that SROA takes apart.
bool uses_are_private(Value *pointer, const Spot &spot, const Privates &privates) {
  for (Use &use : pointer->uses()) {
    User *user = use.getUser();
    if (auto *load = dyn_cast<LoadInst>(user)) {
      if (!load->isSimple() || !spot.holds(spot.layout.getTypeStoreSize(load->getType())))
        return false;
      continue;
    }
    if (auto *store = dyn_cast<StoreInst>(user)) {
      Type *type = store->getValueOperand()->getType();
      if (!store->isSimple() || store->getValueOperand() == pointer ||
          !spot.holds(spot.layout.getTypeStoreSize(type)))
        return false;
      continue;
    }
    if (auto *gep = dyn_cast<GetElementPtrInst>(user)) {
      if (gep->getType()->isVectorTy() || !uses_are_private(gep, spot.behind(*gep), privates))
        return false;
      continue;
    }
    if (isa<BitCastInst>(user)) {
      if (user->getType()->isVectorTy() || !uses_are_private(user, spot, privates))
        return false;
      continue;
    }
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(user)) {
      if (intrinsic->isLifetimeStartOrEnd())
        continue;
      auto *bulk = dyn_cast<MemIntrinsic>(intrinsic);
      auto *length = bulk ? dyn_cast<ConstantInt>(bulk->getLength()) : nullptr;
      if (!length || bulk->isVolatile() || !spot.holds(length->getLimitedValue()))
        return false;
      if (isa<MemSetInst>(bulk))
        continue;
      if (auto *transfer = dyn_cast<MemTransferInst>(intrinsic)) {
        Value *to = transfer->getRawDest(), *from = transfer->getRawSource();
        if (is_private_object(to, privates) &&
            (is_private_object(from, privates) || is_constant_object(from)))
          continue;
      }
    }
    return false;
  }
  return true;
}

Privates private_allocas(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  auto is_private = [&](AllocaInst *alloca, const Privates &privates) {
    std::optional<TypeSize> size = alloca->getAllocationSize(layout);
    return size && !size->isScalable() &&
           uses_are_private(alloca, {layout, size->getFixedValue(), 0}, privates);
  };
  Privates privates;
  for (Instruction &inst : function.getEntryBlock())
    if (auto *alloca = dyn_cast<AllocaInst>(&inst))
      if (alloca->isStaticAlloca())
        privates.insert(alloca);
  // Greatest fixed point: a copy between two allocas makes each depend on the other.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<AllocaInst *, 8> shared;
    for (AllocaInst *alloca : privates)
      if (!is_private(alloca, privates))
        shared.push_back(alloca);
    for (AllocaInst *alloca : shared)
      changed |= privates.erase(alloca);
  }
  return privates;
}

bool has_variable_index(Value *pointer) {
  for (User *user : pointer->users()) {
    if (auto *gep = dyn_cast<GetElementPtrInst>(user))
      if (!gep->hasAllConstantIndices() || has_variable_index(gep))
        return true;
    if (isa<BitCastInst>(user) && has_variable_index(user))
      return true;
  }
  return false;
}

// A local that is read before it is written has one unknown value, not a new one at every use, as `undef` would.
void give_one_initial_value(Function &function, const Privates &privates) {
  const uint64_t most_bytes = 128; // Larger objects stay in memory anyway.
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<AllocaInst *, 16> in_order;
  for (Instruction &inst : function.getEntryBlock()) {
    auto *alloca = dyn_cast<AllocaInst>(&inst);
    if (alloca && alloca->isStaticAlloca() && privates.contains(alloca) &&
        !alloca->isArrayAllocation())
      in_order.push_back(alloca);
  }
  for (AllocaInst *alloca : in_order) {
    // At once: `alloca` with a constant is static, too, and may come after other locals were written.
    IRBuilder<> builder(alloca->getNextNode());
    Type *type = alloca->getAllocatedType();
    TypeSize size = layout.getTypeAllocSize(type);
    if (!type->isFirstClassType() || size.isScalable() ||
        size.getFixedValue() > most_bytes || has_variable_index(alloca))
      continue;
    auto *unknown = builder.Insert(new FreezeInst(PoisonValue::get(type)));
    builder.CreateAlignedStore(unknown, alloca, alloca->getAlign());
  }
}

struct Pinned {
  SmallVector<Instruction *, 16> pins;
  SmallVector<Instruction *, 32> made_volatile;
};

Pinned pin_shared(Function &function, const Privates &privates,
                  FunctionCallee pin) {
  Pinned pinned;
  SmallVector<AllocaInst *, 16> allocas;
  for (Instruction &inst : instructions(function)) {
    if (auto *alloca = dyn_cast<AllocaInst>(&inst)) {
      if (!privates.contains(alloca))
        allocas.push_back(alloca);
    } else if (auto *load = dyn_cast<LoadInst>(&inst)) {
      if (!load->isVolatile() &&
          !is_private_object(load->getPointerOperand(), privates)) {
        load->setVolatile(true);
        pinned.made_volatile.push_back(load);
      }
    } else if (auto *store = dyn_cast<StoreInst>(&inst)) {
      if (!store->isVolatile() &&
          !is_private_object(store->getPointerOperand(), privates)) {
        store->setVolatile(true);
        pinned.made_volatile.push_back(store);
      }
    }
  }
  for (AllocaInst *alloca : allocas) {
    IRBuilder<> builder(alloca->getNextNode());
    Value *pointer = alloca;
    if (alloca->getAddressSpace() != 0)
      pointer = builder.CreateAddrSpaceCast(alloca, builder.getPtrTy());
    pinned.pins.push_back(builder.CreateCall(pin, {pointer}));
  }
  return pinned;
}

void unpin(const Pinned &pinned) {
  for (Instruction *call : pinned.pins) {
    auto *pointer = dyn_cast<AddrSpaceCastInst>(call->getOperand(0));
    call->eraseFromParent();
    if (pointer)
      pointer->eraseFromParent();
  }
  for (Instruction *access : pinned.made_volatile) {
    if (auto *load = dyn_cast<LoadInst>(access))
      load->setVolatile(false);
    else
      cast<StoreInst>(access)->setVolatile(false);
  }
}

// An indirect branch carries no block arguments, so its targets may have no phi.
void demote_phis_of_indirect_targets(Function &function) {
  SmallVector<PHINode *, 8> phis;
  SmallPtrSet<BasicBlock *, 8> seen;
  for (BasicBlock &block : function)
    if (isa<IndirectBrInst>(block.getTerminator()))
      for (BasicBlock *target : successors(&block))
        if (seen.insert(target).second)
          for (PHINode &phi : target->phis())
            phis.push_back(&phi);
  for (PHINode *phi : phis)
    DemotePHIToStack(phi);
}

} // namespace

extern "C" {

// Keeps the meaning, and every access to memory that another thread might see.
char *sleave_clean_up(LLVMModuleRef module_ref, bool *abandoned) {
  return guarded(abandoned, [&]() -> char * {
    Module &module = *unwrap(module_ref);
    LLVMContext &context = module.getContext();
    auto *pin = Function::Create(
        FunctionType::get(Type::getVoidTy(context),
                          {PointerType::getUnqual(context)}, false),
        GlobalValue::ExternalLinkage, "sleave.pin", module);
    FunctionAnalysisManager analyses;
    analyses.registerPass([] { return PassInstrumentationAnalysis(); });
    analyses.registerPass([] { return DominatorTreeAnalysis(); });
    analyses.registerPass([] { return AssumptionAnalysis(); });
    analyses.registerPass([] { return TargetIRAnalysis(); });
    for (Function &function : module) {
      if (function.isDeclaration())
        continue;
      EliminateUnreachableBlocks(function);
      Privates privates = private_allocas(function);
      give_one_initial_value(function, privates);
      Pinned pinned = pin_shared(function, privates, pin);
      SROAPass(SROAOptions::PreserveCFG).run(function, analyses);
      analyses.clear(function, function.getName());
      unpin(pinned);
      demote_phis_of_indirect_targets(function);
    }
    pin->eraseFromParent();
    return nullptr;
  });
}

// ---------------------------------------------------------------------------------------------- values and types

// Keep in step with `Kind` in src/llvm/value.rs.
uint32_t sleave_value_kind(LLVMValueRef ref) {
  Value *value = unwrap(ref);
  if (isa<Instruction>(value)) return 1;
  if (isa<Argument>(value)) return 2;
  if (isa<Function>(value)) return 3;
  if (isa<GlobalVariable>(value)) return 4;
  if (isa<GlobalAlias>(value)) return 5;
  if (isa<GlobalIFunc>(value)) return 6;
  if (isa<BlockAddress>(value)) return 7;
  if (isa<ConstantExpr>(value)) return 8;
  if (isa<UndefValue>(value)) return 9; // and poison
  if (isa<ConstantInt>(value)) return value->getType()->isVectorTy() ? 0 : 10;
  if (isa<ConstantFP>(value)) return value->getType()->isVectorTy() ? 0 : 11;
  if (isa<ConstantPointerNull>(value)) return 12;
  if (isa<ConstantAggregateZero>(value)) return 13;
  if (isa<ConstantAggregate>(value)) return 14;
  if (isa<ConstantDataSequential>(value)) return 15;
  if (isa<InlineAsm>(value)) return 16;
  if (isa<DSOLocalEquivalent>(value) || isa<NoCFIValue>(value)) return 17;
  return 0;
}

LLVMValueRef sleave_equivalent(LLVMValueRef ref) {
  if (auto *equivalent = dyn_cast<DSOLocalEquivalent>(unwrap(ref)))
    return wrap(equivalent->getGlobalValue());
  return wrap(cast<NoCFIValue>(unwrap(ref))->getGlobalValue());
}

// The element of a constant aggregate, or null.
LLVMValueRef sleave_constant_element(LLVMValueRef ref, uint32_t index) {
  return wrap(cast<Constant>(unwrap(ref))->getAggregateElement(index));
}

void sleave_integer_bits(LLVMValueRef ref, uint64_t out[2]) {
  copy_bits(cast<ConstantInt>(unwrap(ref))->getValue(), out);
}

void sleave_float_bits(LLVMValueRef ref, uint64_t out[2]) {
  copy_bits(cast<ConstantFP>(unwrap(ref))->getValueAPF().bitcastToAPInt(), out);
}

uint32_t sleave_pointer_bits(LLVMModuleRef module) {
  return layout(module).getPointerSizeInBits(0);
}

bool sleave_is_little_endian(LLVMModuleRef module) {
  return layout(module).isLittleEndian();
}

// Bytes from one element of an array of this type to the next; 0 for types without a fixed size.
uint64_t sleave_alloc_size(LLVMModuleRef module, LLVMTypeRef type) {
  if (!unwrap(type)->isSized())
    return 0;
  TypeSize size = layout(module).getTypeAllocSize(unwrap(type));
  return size.isScalable() ? 0 : size.getFixedValue();
}

uint64_t sleave_bit_size(LLVMModuleRef module, LLVMTypeRef type) {
  if (!unwrap(type)->isSized())
    return 0;
  TypeSize size = layout(module).getTypeSizeInBits(unwrap(type));
  return size.isScalable() ? 0 : size.getFixedValue();
}

uint64_t sleave_field_offset(LLVMModuleRef module, LLVMTypeRef type,
                             uint32_t index) {
  return layout(module)
      .getStructLayout(cast<StructType>(unwrap(type)))
      ->getElementOffset(index)
      .getKnownMinValue();
}

uint64_t sleave_global_align(LLVMModuleRef module, LLVMValueRef ref) {
  auto *global = cast<GlobalVariable>(unwrap(ref));
  if (auto align = global->getAlign())
    return align->value();
  if (!global->getValueType()->isSized())
    return 1;
  return layout(module).getPreferredAlign(global).value();
}

// The type behind `byval`, or null.
LLVMTypeRef sleave_byval_type(LLVMValueRef function, uint32_t parameter) {
  return wrap(cast<Function>(unwrap(function))->getParamByValType(parameter));
}

// The type behind `byval` of an argument of a call, or null.
LLVMTypeRef sleave_argument_byval_type(LLVMValueRef call, uint32_t index) {
  return wrap(cast<CallBase>(unwrap(call))->getParamByValType(index));
}

// How argument `index` of a call must be aligned if it is passed by value; 0 if that is not said.
uint32_t sleave_argument_alignment(LLVMValueRef call, uint32_t index) {
  MaybeAlign align = cast<CallBase>(unwrap(call))->getParamAlign(index);
  return align ? static_cast<uint32_t>(align->value()) : 0;
}

// The element type of operand `index` of an inline assembly call that is given by its address, or null.
LLVMTypeRef sleave_element_type(LLVMValueRef call, uint32_t index) {
  return wrap(cast<CallBase>(unwrap(call))->getParamElementType(index));
}

char *sleave_demangle(const char *name, size_t size) {
  return copy(demangle(std::string_view(name, size)));
}

// --------------------------------------------------------------------------------------------- debug information

struct SleaveText {
  const char *data;
  size_t size;
};

static SleaveText text(StringRef string) { return {string.data(), string.size()}; }

// Keep in step with `RawType` in src/llvm/debug.rs.
struct SleaveDebugType {
  uint32_t tag;
  uint32_t encoding;
  SleaveText name;
  uint64_t size_bits;
  uint64_t offset_bits;
  LLVMMetadataRef base;
  uint32_t elements;
  bool is_static;
  bool is_declaration;
};

bool sleave_debug_type(LLVMMetadataRef ref, SleaveDebugType *out) {
  auto *type = dyn_cast_or_null<DIType>(unwrap(ref));
  if (!type)
    return false;
  *out = SleaveDebugType();
  out->tag = type->getTag();
  out->name = text(type->getName());
  out->size_bits = type->getSizeInBits();
  out->offset_bits = type->getOffsetInBits();
  out->is_static = type->isStaticMember();
  out->is_declaration = type->isForwardDecl();
  if (auto *base = dyn_cast<DIBasicType>(type))
    out->encoding = base->getEncoding();
  if (auto *derived = dyn_cast<DIDerivedType>(type))
    out->base = wrap(derived->getBaseType());
  if (auto *composite = dyn_cast<DICompositeType>(type)) {
    out->base = wrap(composite->getBaseType());
    if (auto *elements = dyn_cast_or_null<MDTuple>(composite->getRawElements()))
      out->elements = elements->getNumOperands();
  }
  return true;
}

LLVMMetadataRef sleave_debug_element(LLVMMetadataRef type, uint32_t index) {
  auto *composite = dyn_cast_or_null<DICompositeType>(unwrap(type));
  if (!composite)
    return nullptr;
  auto *elements = dyn_cast_or_null<MDTuple>(composite->getRawElements());
  if (!elements || index >= elements->getNumOperands())
    return nullptr;
  return wrap(elements->getOperand(index).get());
}

bool sleave_debug_enumerator(LLVMMetadataRef ref, SleaveText *name,
                             uint64_t bits[2], bool *is_unsigned) {
  auto *enumerator = dyn_cast_or_null<DIEnumerator>(unwrap(ref));
  if (!enumerator)
    return false;
  *name = text(enumerator->getName());
  *is_unsigned = enumerator->isUnsigned();
  const APInt &value = enumerator->getValue();
  unsigned width = value.getBitWidth() > 128 ? value.getBitWidth() : 128;
  copy_bits(enumerator->isUnsigned() ? value.zext(width) : value.sext(width),
            bits);
  return true;
}

// The number of elements of one dimension of an array; 0 if it is not constant, -1 if `ref` is no dimension.
int64_t sleave_debug_subrange(LLVMMetadataRef ref) {
  auto *subrange = dyn_cast_or_null<DISubrange>(unwrap(ref));
  if (!subrange)
    return -1;
  auto *count = dyn_cast_or_null<ConstantAsMetadata>(subrange->getRawCountNode());
  auto *number = count ? dyn_cast<ConstantInt>(count->getValue()) : nullptr;
  if (!number || number->isNegative() || number->getValue().getActiveBits() > 63)
    return 0;
  return number->getSExtValue();
}

struct SleaveDebugVariable {
  SleaveText name;
  LLVMMetadataRef type;
  LLVMMetadataRef file;
  uint32_t line;
};

bool sleave_debug_variable(LLVMMetadataRef ref, SleaveDebugVariable *out) {
  auto *variable = dyn_cast_or_null<DIVariable>(unwrap(ref));
  if (!variable)
    return false;
  out->name = text(variable->getName());
  out->type = wrap(variable->getType());
  out->file = wrap(variable->getFile());
  out->line = variable->getLine();
  return true;
}

// The source variable behind a global, or null.
LLVMMetadataRef sleave_debug_of_global(LLVMValueRef ref) {
  SmallVector<DIGlobalVariableExpression *, 1> expressions;
  cast<GlobalVariable>(unwrap(ref))->getDebugInfo(expressions);
  return expressions.empty() ? nullptr : wrap(expressions[0]->getVariable());
}

SleaveText sleave_debug_subprogram_name(LLVMMetadataRef ref) {
  return text(cast<DISubprogram>(unwrap(ref))->getName());
}

// The variable records in front of `inst`: calls `found(data, value or null, variable, declares)` for each.
void sleave_debug_records(LLVMValueRef inst, void *data,
                          void (*found)(void *, LLVMValueRef, LLVMMetadataRef,
                                        bool)) {
  for (DbgVariableRecord &record :
       filterDbgVars(cast<Instruction>(unwrap(inst))->getDbgRecordRange())) {
    if (record.getNumVariableLocationOps() != 1)
      continue;
    // A fragment is one field of an aggregate that was taken apart; a dereference is not the variable itself.
    const DIExpression *expression = record.getExpression();
    bool whole = expression->getNumElements() == 0;
    if (!whole && !record.isDbgDeclare())
      continue;
    found(data, wrap(record.getVariableLocationOp(0)),
          wrap(record.getVariable()), record.isDbgDeclare());
  }
}

// Calls `found(data, qualified name, type)` for every named record of the module.
void sleave_debug_record_types(LLVMModuleRef module, void *data,
                               void (*found)(void *, SleaveText,
                                             LLVMMetadataRef)) {
  DebugInfoFinder finder;
  finder.processModule(*unwrap(module));
  for (DIType *type : finder.types()) {
    auto *composite = dyn_cast<DICompositeType>(type);
    // `typedef struct {..} t` names the struct in LLVM, but not in the debug information.
    if (auto *derived = dyn_cast<DIDerivedType>(type))
      if (derived->getTag() == dwarf::DW_TAG_typedef) {
        composite = dyn_cast_or_null<DICompositeType>(derived->getBaseType());
        if (composite && composite->getName().empty() &&
            !composite->isForwardDecl())
          found(data, text(derived->getName()), wrap(composite));
        continue;
      }
    if (!composite || composite->getName().empty() ||
        composite->isForwardDecl())
      continue;
    if (composite->getTag() == dwarf::DW_TAG_array_type ||
        composite->getTag() == dwarf::DW_TAG_enumeration_type)
      continue;
    std::string name = composite->getName().str();
    unsigned levels_left = 100; // Nothing says that a scope does not contain itself.
    for (DIScope *scope = composite->getScope(); scope && levels_left > 0;
         scope = scope->getScope(), levels_left--)
      if ((isa<DINamespace>(scope) || isa<DICompositeType>(scope)) &&
          !scope->getName().empty())
        name = scope->getName().str() + "::" + name;
    found(data, text(name), wrap(composite));
  }
}

} // extern "C"
